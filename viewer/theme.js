// Light or dark: as the system says until the user says otherwise.
const key = 'tendril-theme';
const system = matchMedia('(prefers-color-scheme: dark)');

export class Theme {
  constructor(onChange) {
    this.onChange = onChange;
    system.addEventListener('change', () => this.apply());
    this.apply();
  }

  get dark() {
    const kept = localStorage.getItem(key);
    return kept ? kept === 'dark' : system.matches;
  }

  toggle() {
    localStorage.setItem(key, this.dark ? 'light' : 'dark');
    this.apply();
  }

  apply() {
    document.documentElement.dataset.theme = this.dark ? 'dark' : 'light';
    this.onChange(this);
  }

  // A colour of the style sheet, such as 'accent'.
  colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  }
}
