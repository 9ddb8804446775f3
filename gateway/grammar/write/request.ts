import { preference } from '../prefer.ts';
import { type Body } from './body.ts';
import { parseQuery } from './query.ts';
import { type ParsedWrite, type WriteShape } from './shape.ts';
import { type Target } from './target.ts';

/**
 * Turns a write below `/data/` into its shape and the request that `service.write` takes. Which collections and fields exist,
 * and what they hold, is the database's to judge.
 * @param query the raw query string
 * @param body absent of a delete
 * @throws ApiError 400 or 501 with the code of the parameter that is malformed, or has no place in this write.
 */
export function parseWrite({ op, path }: Target, query: string, prefer: string, body: Body | undefined): ParsedWrite {
  const isMinimal = op !== 'delete' && preference(prefer, 'return') === 'minimal';
  const options: Pick<WriteShape, 'fields' | 'hard' | 'return'> = { ...parseQuery(query, op), ...(isMinimal && { return: 'minimal' }) };
  const names = body && { body: body.names.toSorted() };
  return { shape: { op, collection: path[0] ?? '', ...names, ...options }, path, text: requestText({ op, path, ...options }, body) };
}

/** The body goes on as it was sent, so that numbers keep every digit; it is proved to be one object. */
function requestText(head: object, body: Body | undefined): string {
  const text = JSON.stringify(head);
  return body === undefined ? text : `${text.slice(0, -1)},"body":${body.text}}`;
}
