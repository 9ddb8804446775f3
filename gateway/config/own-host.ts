/** Where a service that listens at this address is reached from its own machine, as URLs write it. */
export function ownHost(host: string | undefined): string {
  if (host === undefined || /^(0\.0\.0\.0|::)$/.test(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
