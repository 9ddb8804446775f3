import { BootError } from '../error.ts';
import { addressesOf, candidatePorts, listenAlone, listenBeside, refusal, type Hosts, type ListenConfig } from './listen.ts';
import { App, type TemplatedApp } from './uws.ts';

/** A port that only this process's workers may share, for as long as it lives or until `release`. */
export type PortClaim = { port: number; release: () => void };

/** A loopback address that no client uses: clients connect to 127.0.0.1. */
const ASIDE = ['127.255.255.254'];

/**
 * Takes a port for workers. An exclusive listener probes whether the port is free; it is closed before it could accept a connection, and a
 * client that connects in that moment is reset. Afterwards a listener at an unused address holds the port: other services cannot take it,
 * workers can join, and until they do the kernel refuses connections, as before the start.
 * @throws BootError naming the port when it is taken.
 */
export function claimPort(config: ListenConfig): PortClaim {
  const app = App().any('/*', response => void response.close());
  for (const wanted of candidatePorts(config)) {
    const port = free(app, addressesOf(config), wanted);
    if (port === undefined || free(app, ASIDE, port) === undefined) continue;
    const held = listenBeside(app, ASIDE, port);
    if (held !== undefined) return { port, release: held.close };
  }
  throw new BootError(refusal(config));
}

function free(app: TemplatedApp, hosts: Hosts, wanted: number): number | undefined {
  const alone = listenAlone(app, hosts, wanted);
  alone?.close();
  return alone?.port;
}
