/** Tokens whose inside is not SQL: a quoted name, a comment, a literal. An unterminated one extends to the end of the text. */
const PARTS = [
  /"(?:[^"]|"")*(?:"|$)/, /--[^\n]*/, /\/\*[^]*?(?:\*\/|$)/, /\bE'(?:[^'\\]|\\[^]|'')*(?:'|$)/, /'(?:[^']|'')*(?:'|$)/,
  /(?<![\w$])\$(?<tag>(?:[A-Za-z_]\w*)?)\$[^]*?(?:\$\k<tag>\$|$)/,
].map(({ source }) => source).join('|');
const LITERAL = new RegExp(`${PARTS}|(?<![\\w$])\\.?\\d[\\w.]*`, 'gi');
const TOKEN = new RegExp(`${PARTS}|[A-Za-z_][\\w$]*|[;()]`, 'gi');

/** Characters of a statement that a log keeps. */
const KEPT = 4_000;

/** SQL as a log may have it: each literal a question mark, without comments, white space as one blank. */
export function masked(statement: string): string {
  const text = statement.replace(LITERAL, found => {
    if (found.startsWith('"')) return found;
    return found.startsWith('--') || found.startsWith('/*') ? ' ' : '?';
  });
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > KEPT ? `${line.slice(0, KEPT)}…` : line;
}

const ROUTINE = /^create (?:or replace )?(?:function|procedure) /;

/** The statements of a script, without the empty ones: cut at semicolons, as psql does it, but for those in a body that is SQL itself. */
export function statementsOf(script: string): string[] {
  const statements: string[] = [];
  let [start, parentheses, blocks, words] = [0, 0, 0, ''];
  for (const { 0: token, index } of script.matchAll(TOKEN)) {
    if (token === '(') parentheses += 1;
    else if (token === ')') parentheses -= 1;
    else if (token === ';' && parentheses <= 0 && blocks === 0) {
      statements.push(script.slice(start, index));
      [start, parentheses, words] = [index + 1, 0, ''];
    } else if (/^[A-Za-z_]/.test(token) && !token.includes('\'')) {
      const word = token.toLowerCase();
      if (words.length < 40) words += `${word} `;
      if (parentheses === 0 && ROUTINE.test(words)) blocks = Math.max(0, blocks + depthOf(word, blocks));
    }
  }
  statements.push(script.slice(start));
  return statements.filter(statement => masked(statement) !== '');
}

function depthOf(word: string, blocks: number): number {
  if (word === 'begin' || (word === 'case' && blocks > 0)) return 1;
  return word === 'end' ? -1 : 0;
}
