import { isIPv6 } from 'node:net';

/**
 * The network of an address: itself, or the first 64 bits of an IPv6 address. A client usually has a whole /64 (RFC 6177), and could use a
 * new address each time.
 */
export function networkOf(address: string): string {
  const [, mapped] = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const [before, after] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  return `${groups.slice(0, 4).map(group => parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** An IPv4 address at the end is two groups, behind the first four either way. */
function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':').flatMap(group => group.includes('.') ? ['0', '0'] : [group]);
}
