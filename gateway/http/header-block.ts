import type { ReplyHeaders } from './route.ts';

const fieldName = /^[\w!#$%&'*+.^`|~-]+$/;
/** Visible text, spaces and tabs (RFC 9110 section 5.5): nothing that could begin another line. */
const fieldValue = /^[\t\x20-\x7e\x80-\u{10ffff}]*$/u;
/** These frame the message. Only the server itself may write them: a second one would be request smuggling. */
const framing = /^(?:content-length|transfer-encoding|connection)$/i;

/**
 * Header lines as text, each ended by CRLF.
 * @throws Error for a name or value that would not stay inside its line.
 */
export function headerBlock(headers: ReplyHeaders): string {
  let block = '';
  for (const name in headers) {
    const value = headers[name] as string | readonly string[];
    block += typeof value === 'string' ? headerLine(name, value) : value.map(value => headerLine(name, value)).join('');
  }
  return block;
}

export function headerLine(name: string, value: string): string {
  if (!fieldName.test(name) || framing.test(name)) throw new Error(`A reply may not set the header ${JSON.stringify(name)}.`);
  if (!fieldValue.test(value)) throw new Error(`The header ${name} holds a character that would break the message.`);
  return `${name}: ${value}\r\n`;
}
