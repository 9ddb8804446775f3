import { isIP, SocketAddress } from 'node:net';

/**
 * Each trusted proxy appends the address it saw, so the client's is `hops` places before the end; addresses further left were written by
 * the client itself.
 */
export function clientAddress(socketAddress: string, forwardedFor: string, hops: number): string {
  if (hops === 0 || forwardedFor === '') return socketAddress;
  const seen = forwardedFor.split(',');
  const address = withoutPort((seen[Math.max(seen.length - hops, 0)] ?? '').trim());
  return isIP(address) === 0 ? socketAddress : address;
}

/** Some proxies append `1.2.3.4:5678` and `[2001:db8::1]:5678`. */
function withoutPort(address: string): string {
  return address.replace(/^\[(.+)\](?::\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
}

/** From the bytes of the socket: 4, or 16 that may hold an IPv4 address (RFC 4291 section 2.5.5.2). */
export function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) return '';
  const isMapped = bytes.subarray(0, 10).every(byte => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  return isMapped ? bytes.subarray(12).join('.') : ipv6Text(Buffer.from(bytes));
}

function ipv6Text(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(i * 2).toString(16));
  return new SocketAddress({ family: 'ipv6', address: groups.join(':') }).address;
}
