import { ApiError } from '../../error.ts';

/** The replacement of each condition of PostgREST that has no operator here; undefined: there is none. */
const truths: Readonly<Record<string, { is: string; isNot: string }>> = {
  null: { is: 'isnull.', isNot: 'notnull.' },
  unknown: { is: 'isnull.', isNot: 'notnull.' },
  true: { is: 'eq.true', isNot: 'neq.true' },
  false: { is: 'eq.false', isNot: 'neq.false' },
};
const negations: Readonly<Record<string, string | undefined>> = {
  eq: 'neq', neq: 'eq', gt: 'lte', gte: 'lt', lt: 'gte', lte: 'gt', like: 'nlike', ilike: 'nilike', in: 'nin',
  cs: undefined, cd: undefined, ov: undefined, match: undefined, imatch: undefined, isdistinct: undefined,
  sl: undefined, sr: undefined, nxr: undefined, nxl: undefined, adj: undefined,
};

const textSearch = /^(?:fts|plfts|phfts|wfts)(?:\([^()]*\))?\.(.*)$/s;
const truth = /^is\.(null|true|false|unknown)$/i;
const operation = new RegExp(`^(${Object.keys(negations).join('|')})\\.(.*)$`, 's');

/**
 * Rejects a value that is a whole condition of PostgREST: as text it would match nothing. A value that only begins like one is accepted:
 * `is.gd`, `sl.SI`, `not.sure`.
 * @throws ApiError 400 UNKNOWN_FILTER_OPERATOR, with the spelling to use here.
 */
export function refuseForeign(value: string, field: string): void {
  const found = value.startsWith('not.') ? negated(value.slice('not.'.length), field) : plain(value);
  if (!found) return;
  const here = found.write === undefined ? 'Nothing stands for it' : `It is written ${found.write}`;
  const message = `"${value}" on "${field}" is no condition here. ${here}; the text itself is found by eq.${value}.`;
  throw new ApiError(400, 'UNKNOWN_FILTER_OPERATOR', message, { field, operator: value, ...found });
}

function plain(value: string): { write?: string } | undefined {
  const [, terms] = textSearch.exec(value) ?? [];
  if (terms !== undefined) return { write: `searchString=${terms}` };
  const [, tested] = truth.exec(value) ?? [];
  return tested === undefined ? undefined : { write: truths[tested.toLowerCase()]?.is ?? '' };
}

function negated(value: string, field: string): { write?: string } | undefined {
  if (textSearch.test(value)) return {};
  const [, tested] = truth.exec(value) ?? [];
  if (tested !== undefined) return { write: truths[tested.toLowerCase()]?.isNot ?? '' };
  const [, operator = '', operand = ''] = operation.exec(value) ?? [];
  // A list has its parentheses, as in the operator itself: `not.in.stock` is a text.
  if (operator === '' || (operator === 'in' && !/^\(.*\)$/s.test(operand))) return undefined;
  if (operator === 'cs') return { write: `not=(${field}.${value})` };
  const opposite = negations[operator];
  return opposite === undefined ? {} : { write: `${opposite}.${operand}` };
}
