/** Text of TypeScript: names, literals, comments, interfaces. */

export type Member = { name: string; type: string; optional?: boolean; comment?: string };

/** The members of every object, to the compiler. */
const INHERITED = ['constructor', 'hasOwnProperty', 'isPrototypeOf', 'propertyIsEnumerable', 'toLocaleString', 'toString', 'valueOf'];

/** Any text as a literal, in the quotes of this house. JSON escapes what a line of source cannot hold, but for two characters. */
export function literal(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll('\'', '\\\'');
  return `'${inner.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`;
}

/** A name of a member, in quotes where it is no identifier. */
export function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

/** A key of an object that exists at run time, where `__proto__` alone would set its prototype. */
export function keyName(name: string): string {
  return name === '__proto__' ? '[\'__proto__\']' : memberName(name);
}

/** Literals joined by `|`; never without any. */
export function union(types: readonly string[]): string {
  return types.length === 0 ? 'never' : types.join(' | ');
}

export function comment(text: string | null | undefined, indent = ''): string {
  if (text === null || text === undefined || text === '') return '';
  const lines = text.replaceAll('*/', '*\\/').split(/\r\n|[\n\r\u2028\u2029]/).map(line => line.trimEnd());
  if (lines.length === 1) return `${indent}/** ${lines[0] ?? ''} */\n`;
  return `${indent}/**\n${lines.map(line => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indent} */\n`;
}

export function interfaceText(name: string, members: readonly Member[], about?: string | null): string {
  const lines = members.map(member => `${comment(member.comment, '  ')}  ${memberText(member)};\n`);
  return `${comment(about)}export interface ${name} {\n${lines.join('')}}\n`;
}

/** An object without a member. `{}` would take any. */
export const EMPTY = 'Record<string, never>';

/** A body, which has no member but these. */
export function bodyText(name: string, members: readonly Member[], about: string): string {
  return members.length === 0 ? `${comment(about)}export type ${name} = ${EMPTY};\n` : interfaceText(name, members, about);
}

/** An object type on one line. */
export function objectText(members: readonly Member[]): string {
  return members.length === 0 ? '{}' : `{ ${members.map(memberText).join('; ')} }`;
}

/** A member that may be left out has to admit what every object inherits by its name. */
function memberText({ name, type, optional }: Member): string {
  if (optional !== true) return `${memberName(name)}: ${type}`;
  return `${memberName(name)}?: ${type}${INHERITED.includes(name) ? ` | {}[${literal(name)}]` : ''}`;
}

/** By code unit, the same on every system. */
export function byName<Named extends { name: string }>(list: readonly Named[]): Named[] {
  return list.toSorted((a, b) => a.name < b.name ? -1 : 1);
}
