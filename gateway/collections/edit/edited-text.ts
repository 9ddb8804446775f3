import { isDeepStrictEqual } from 'node:util';
import { parseTree, type Node } from 'jsonc-parser';
import { isObject, type JsonObject } from '../../json/json-file.ts';

/** An element of a list or a key with its value: the space before it, from its comma on, and its text. */
type Member = { space: string; text: string };

/** A JSON file that says something else: what stays keeps its place, its order and its form, to the last space. */
export function editedText(text: string, wanted: JsonObject): string {
  const root = parseTree(text);
  if (root === undefined) throw new Error('An edited file holds JSON.');
  const unit = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return text.slice(0, root.offset) + valueText(root, wanted) + text.slice(endOf(root));

  function valueText(node: Node, value: unknown): string {
    const was = slice(node.offset, endOf(node));
    const before: unknown = JSON.parse(was);
    if (isDeepStrictEqual(before, value)) return was;
    const isEmpty = node.children === undefined || node.children.length === 0;
    if (!isEmpty && isObject(before) && isObject(value)) return containerText(node, membersOfObject(node, before, value));
    if (!isEmpty && Array.isArray(before) && Array.isArray(value)) return containerText(node, membersOfList(node, before, value));
    return freshText(value, indentAt(node.offset));
  }

  /** Existing members keep their spaces; new ones take those of the first. */
  function containerText(node: Node, members: Member[]): string {
    const [first, last] = [node.children?.at(0), node.children?.at(-1)];
    const [open, close] = [slice(node.offset, node.offset + 1), slice(endOf(node) - 1, endOf(node))];
    if (first === undefined || last === undefined || members.length === 0) return open + close;
    return open + members.map(({ space, text: member }) => space + member).join(',') + slice(endOf(last), endOf(node) - 1) + close;
  }

  function membersOfObject(node: Node, before: JsonObject, value: JsonObject): Member[] {
    const children = new Map((node.children ?? []).map((child, n) => [String(child.children?.[0]?.value), { child, n }]));
    return keysInOrder(Object.keys(before), Object.keys(value)).map((key): Member => {
      const { child, n } = children.get(key) ?? {};
      if (child === undefined || n === undefined) return newMember(node, `${JSON.stringify(key)}: `, value[key]);
      const [, inner] = child.children ?? [];
      if (inner === undefined) throw new Error('A key of JSON has a value.');
      return { space: spaceBefore(node, n), text: slice(child.offset, inner.offset) + valueText(inner, value[key]) };
    });
  }

  /** Those that begin and those that end alike are the same; between them one after the other. */
  function membersOfList(node: Node, before: unknown[], value: unknown[]): Member[] {
    const shorter = Math.min(before.length, value.length);
    const tail = firstWithout(n => isDeepStrictEqual(before.at(-1 - n), value.at(-1 - n)), shorter);
    const moved = before.length - value.length;
    return value.map((element, n): Member => {
      const was = n >= value.length - tail ? n + moved : n < shorter - tail ? n : undefined;
      const child = was === undefined ? undefined : node.children?.[was];
      if (was === undefined || child === undefined) return newMember(node, '', element);
      return { space: spaceBefore(node, was), text: valueText(child, element) };
    });
  }

  function newMember(node: Node, key: string, value: unknown): Member {
    const space = spaceBefore(node, 0).replace(/^.*?(\r?\n[ \t]*)$/s, '$1');
    return space.includes('\n')
      ? { space, text: key + freshText(value, space.replace(/^.*\n/s, '')) }
      : { space: ' ', text: key + JSON.stringify(value) };
  }

  /** The space before the nth member, from the comma or the bracket on. */
  function spaceBefore(node: Node, n: number): string {
    const [child, previous] = [node.children?.[n], n === 0 ? undefined : node.children?.[n - 1]];
    if (child === undefined) return '';
    return previous === undefined ? slice(node.offset + 1, child.offset) : slice(endOf(previous), child.offset).replace(/^\s*,/, '');
  }

  function freshText(value: unknown, indent: string): string {
    return JSON.stringify(value, null, unit).replaceAll('\n', eol + indent);
  }

  function indentAt(offset: number): string {
    return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? '';
  }

  function slice(from: number, to: number): string {
    return text.slice(from, to);
  }
}

/** Those that stay as they stood; a new one behind the nearest of those that it is written behind. */
function keysInOrder(before: string[], wanted: string[]): string[] {
  const keys = before.filter(key => wanted.includes(key));
  for (const [n, key] of wanted.entries()) {
    if (keys.includes(key)) continue;
    const previous = wanted.slice(0, n).findLast(other => keys.includes(other));
    keys.splice(previous === undefined ? 0 : keys.indexOf(previous) + 1, 0, key);
  }
  return keys;
}

function firstWithout(holds: (n: number) => boolean, end: number): number {
  let n = 0;
  while (n < end && holds(n)) n++;
  return n;
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}
