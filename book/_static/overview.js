// The table of verdicts: rows that do not fit the choices are hidden. The choices are classes of the rows. The row of a chapter
// goes with the last of its statements.
for (const form of document.querySelectorAll('form.choices')) {
  const lines = [...form.parentElement.querySelectorAll('table.verdicts tbody tr')];
  const rows = lines.filter(line => !line.matches('.chapter'));
  const [fields, words, count] = [form.querySelectorAll('select'), form.querySelector('input'), form.querySelector('output')];
  const choose = () => {
    const chosen = [...fields].map(field => field.value).filter(Boolean);
    const text = words.value.trim().toLowerCase();
    let chapter;
    for (const line of lines) {
      if (line.matches('.chapter')) chapter = line;
      const about = `${chapter.textContent} ${line.textContent}`.toLowerCase();
      line.hidden = line === chapter || !(chosen.every(name => line.classList.contains(name)) && about.includes(text));
      chapter.hidden &&= line.hidden;
    }
    count.textContent = `${rows.filter(row => !row.hidden).length} of ${rows.length} statements`;
  };
  form.addEventListener('input', choose);
  form.addEventListener('submit', event => event.preventDefault());
  form.hidden = false;
  choose();
}

// The graph: the row under the pointer or the focus lights up the whole way to it, and what uses it.
for (const graph of document.querySelectorAll('div.graph')) {
  const rows = Object.fromEntries([...graph.querySelectorAll('li[data-id]')].map(row => [row.dataset.id, row]));
  const arcs = [...graph.querySelectorAll('path')];
  const wayTo = (chosen, found = new Set([chosen])) => {
    for (const { dataset } of arcs)
      if (dataset.from === chosen && !found.has(dataset.to)) wayTo(dataset.to, found.add(dataset.to));
    return found;
  };
  const light = chosen => {
    const way = wayTo(chosen);
    for (const [id, row] of Object.entries(rows)) {
      row.classList.toggle('rests-on', way.has(id) && id !== chosen);
      row.classList.remove('used-by');
    }
    for (const arc of arcs) {
      const { from, to } = arc.dataset;
      arc.classList.toggle('rests-on', way.has(from));
      arc.classList.toggle('used-by', to === chosen);
      if (to === chosen) rows[from].classList.add('used-by');
      if (way.has(from) || to === chosen) arc.parentElement.append(arc); // in front of the others
    }
    return way.size - 1;
  };
  for (const kind of ['mouseover', 'focusin'])
    graph.addEventListener(kind, event => {
      const row = event.target.closest('li[data-id]');
      if (row) light(row.dataset.id);
    });
  const [button, output] = [graph.querySelector('button'), graph.querySelector('output')];
  button.hidden = false;
  button.addEventListener('click', () => {
    output.textContent = `By the ${light(button.dataset.way)} chapters in blue.`;
    rows[button.dataset.way].scrollIntoView({ block: 'center' });
  });
}

// A browser fetches nothing beside a local file: there the search lists pages without their first lines.
if (location.protocol === 'file:') DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
