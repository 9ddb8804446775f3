/**
 * Whether an answer is the documented one. Both are compared token by token, so numbers keep their digits and members
 * their order, while line breaks are the document's own. A bare `…` stands for any members or elements, one inside a
 * string for any text.
 */
export function matchesJson(answer: string, documented: string): boolean {
  return matchesTokens(tokensOf(answer), tokensOf(documented));
}

const tokensOf = (json: string): string[] => json.match(/"(?:[^"\\]|\\.)*"|…|[[\]{},:]|[^\s[\]{},:"…]+/gs) ?? [];

function matchesTokens(answer: string[], documented: string[]): boolean {
  const [wanted, ...rest] = documented;
  if (wanted === undefined) return answer.length === 0;
  if (wanted === '…') return withoutSome(answer).some(left => matchesTokens(left, rest));
  return answer[0] !== undefined && matchesText(answer[0], wanted) && matchesTokens(answer.slice(1), rest);
}

/** The possible rests after one or more tokens that open no bracket without closing it. */
function withoutSome(tokens: string[]): string[][] {
  const left: string[][] = [];
  let depth = 0;
  for (const [i, token] of tokens.entries()) {
    if (token === '{' || token === '[') depth++;
    if (token === '}' || token === ']') depth--;
    if (depth < 0) break;
    if (depth === 0) left.push(tokens.slice(i + 1));
  }
  return left;
}

/** `…` stands for any text, line breaks included. */
export function matchesText(answer: string, documented: string): boolean {
  const parts = documented.split('…').map(part => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(answer);
}

/** A table as psql prints it, without what only lines it up. */
export function plainTable(printed: string): string {
  return printed.split('\n')
    .filter(line => line.trim() !== '' && !/^[-+]+$/.test(line.trim()) && !/^\(\d+ rows?\)$/.test(line))
    .map(line => line.split(' | ').map(cell => cell.trim()).join(' | '))
    .join('\n');
}
