// The table of verdicts: rows that do not fit the choices are hidden. The choices are classes of the rows.
for (const form of document.querySelectorAll('form.choices')) {
  const rows = [...form.parentElement.querySelectorAll('table.verdicts tbody tr')];
  const [fields, words, count] = [form.querySelectorAll('select'), form.querySelector('input'), form.querySelector('output')];
  const choose = () => {
    const chosen = [...fields].map(field => field.value).filter(Boolean);
    const text = words.value.trim().toLowerCase();
    for (const row of rows)
      row.hidden = !(chosen.every(name => row.classList.contains(name)) && row.textContent.toLowerCase().includes(text));
    count.textContent = `${rows.filter(row => !row.hidden).length} of ${rows.length} statements`;
  };
  form.addEventListener('input', choose);
  form.addEventListener('submit', event => event.preventDefault());
  form.hidden = false;
  choose();
}

// The graph: the row under the pointer or the focus lights up its arcs, and the rows at their other ends.
for (const graph of document.querySelectorAll('div.graph')) {
  const rows = Object.fromEntries([...graph.querySelectorAll('li[data-id]')].map(row => [row.dataset.id, row]));
  const arcs = [...graph.querySelectorAll('path')];
  const light = event => {
    const chosen = event.target.closest('li[data-id]')?.dataset.id;
    for (const row of Object.values(rows)) row.classList.remove('rests-on', 'used-by');
    for (const arc of arcs) {
      const [upper, lower] = [arc.dataset.from, arc.dataset.to];
      arc.classList.toggle('rests-on', upper === chosen);
      arc.classList.toggle('used-by', lower === chosen);
      if (upper === chosen) rows[lower].classList.add('rests-on');
      if (lower === chosen) rows[upper].classList.add('used-by');
      if (chosen === upper || chosen === lower) arc.parentElement.append(arc); // in front of the others
    }
  };
  for (const kind of ['mouseover', 'focusin']) graph.addEventListener(kind, light);
}
