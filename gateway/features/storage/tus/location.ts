import type { Call } from '../../../http/route.ts';

export type LocationOptions = {
  /** Where clients reach the service: SERVICE_PUBLIC_URL. */
  publicUrl: string | undefined;
  trustedProxyHops: number;
};

/** A name or an address, with or without a port (RFC 3986 section 3.2.2): nothing that could end the host of a URL. */
const HOST = /^(?:[\w-]+(?:\.[\w-]+)*\.?|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * The address of something below the path of a request, as its client reaches it: from the setting, else as the request named it. Forwarded
 * headers count only with trusted proxies. Without a valid host the result is a path, which clients resolve against the request.
 */
export function locationOf(call: Pick<Call, 'header'>, path: string, { publicUrl, trustedProxyHops }: LocationOptions): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '') + path;
  const forwarded = (name: string) => trustedProxyHops === 0 ? '' : seenBy(call.header(name), trustedProxyHops);
  const host = forwarded('x-forwarded-host') || call.header('host');
  const scheme = forwarded('x-forwarded-proto').toLowerCase() === 'https' ? 'https' : 'http';
  return HOST.test(host) ? `${scheme}://${host}${path}` : path;
}

/** Each proxy appends the address it saw, or nothing; addresses further left were written by the client itself. */
function seenBy(header: string, hops: number): string {
  const seen = header.split(',');
  return (seen[Math.max(seen.length - hops, 0)] ?? '').trim();
}
