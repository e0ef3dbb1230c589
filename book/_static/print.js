// Paper is light and does not scroll. While a page is printed it wears the light theme, whatever the reader chose
// for the screen; and each formula that is wider than the paper is told by how much to shrink there.
const paper = matchMedia('print');
const LINE = 51, INDENTED = 48; // rem: the room between the margins, and under a name or in a verdict
let onScreen;

paper.addEventListener('change', () => {
  const root = document.documentElement.dataset;
  if (paper.matches) onScreen = root.theme;
  root.theme = paper.matches ? 'light' : onScreen;
});

function measureFormulas() { // in rem, so that the screen tells what will be on paper
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  for (const math of document.querySelectorAll('article mjx-math')) {
    const width = math.getBoundingClientRect().width / rem, room = math.closest('dd, td') ? INDENTED : LINE;
    if (width > room) math.parentNode.style.setProperty('--shrink', room / width);
  }
}

addEventListener('load', () => window.MathJax?.startup.promise.then(measureFormulas));
