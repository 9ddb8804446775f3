/** The style of the OAuth server's pages. They load nothing, so fonts and colours are the system's. */
export const STYLE = `
:root { color-scheme: light dark; --text: light-dark(#1b2130, #e8ebf2); --quiet: light-dark(#566079, #a6afc3);
  --ground: light-dark(#f3f5f9, #11141b); --card: light-dark(#fff, #1a1f29); --line: light-dark(#c3cad8, #434c60);
  --accent: light-dark(#2156cf, #3d6fe6); --notice: light-dark(#b36b00, #e0a03a); --bad: light-dark(#c02a2a, #ff7b72); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 29rem; padding: 3rem 1rem; font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
  color: var(--text); background: var(--ground); }
main { background: var(--card); border: 1px solid var(--line); border-radius: .9rem; padding: 1.75rem; }
h1 { font-size: 1.35rem; line-height: 1.3; margin: 0 0 .5rem; text-wrap: balance; }
h2 { font-size: .95rem; margin: 1.25rem 0 .25rem; } p { margin: .25rem 0; }
.app { margin: 0 0 1rem; font-size: .9rem; font-weight: 600; color: var(--quiet); }
.quiet, label { font-size: .9rem; color: var(--quiet); }
ul { list-style: none; margin: .25rem 0; padding: 0; }
li { padding: .1rem 0 .1rem 1.6rem; position: relative; }
li::before { content: '✓'; position: absolute; left: .25rem; color: var(--accent); font-weight: 700; }
.notice, .wrong { border-left: 4px solid var(--notice); padding: .1rem 0 .1rem .75rem; margin: .5rem 0; }
.wrong { border-color: var(--bad); margin: 1rem 0; }
.part { border-top: 1px solid var(--line); margin-top: 1.5rem; padding-top: .25rem; }
label { display: block; margin: .75rem 0 0; }
input, button { font: inherit; width: 100%; min-height: 2.9rem; padding: .5rem .8rem; border: 1px solid var(--line); border-radius: .55rem;
  color: var(--text); background: var(--card); }
input { margin-top: .2rem; }
button { margin-top: .6rem; cursor: pointer; }
button:hover:enabled { border-color: var(--quiet); }
label + button, #captcha + button, #person { margin-top: 1rem; }
.first { background: var(--accent); border-color: var(--accent); color: #fff; font-weight: 600; }
button:disabled { opacity: .55; cursor: default; }
.or { display: flex; align-items: center; gap: .75rem; margin: 1rem 0 .25rem; font-size: .85rem; color: var(--quiet); }
.or::before, .or::after { content: ''; flex: 1; border-top: 1px solid var(--line); }
.answers { display: flex; flex-direction: row-reverse; gap: .75rem; margin-top: .75rem; }
.text { border-color: transparent; background: none; color: var(--quiet); text-decoration: underline; }
#person { margin-bottom: 1rem; }
#captcha { margin-top: 1rem; min-height: 4.1rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; } [hidden] { display: none !important; }
[aria-busy] { cursor: progress; }
@media (max-width: 30rem) {
  body { padding: 0; background: var(--card); } main { border: 0; border-radius: 0; padding: 1.25rem 1rem 2.5rem; }
}
`;
