// Keys of the page, and the help that lists them.
export function bindKeys(actions) {
  const list = document.getElementById('keys');
  const byKey = new Map();
  for (const {keys, shown, words, run} of actions) {
    for (const key of keys) byKey.set(key, run);
    const term = document.createElement('dt'), description = document.createElement('dd');
    term.textContent = shown;
    description.textContent = words;
    list.append(term, description);
  }
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const {target} = event;
    const typing = target.matches('select, input:not([type=checkbox])');
    const run = byKey.get(event.key.length === 1 ? event.key.toLowerCase() : event.key);
    // A focused button or box answers to the space bar itself, and a list or slider to its own keys.
    const pressed = event.key === ' ' && target.matches('button, [type=checkbox]');
    if (!run || pressed || (typing && event.key !== 'Escape')) return;
    if (document.getElementById('help').open) return;
    event.preventDefault();
    run(event);
  });
}
