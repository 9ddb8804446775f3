import { BootError } from '../error.ts';
import { addressesOf, candidatePorts, listenAlone, listenBeside, refusal, type Hosts, type ListenConfig } from './listen.ts';
import { App, type TemplatedApp } from './uws.ts';

/** A port that only this process's workers may share, for as long as it lives or until `release`. */
export type PortClaim = { port: number; release: () => void };

/** Of this machine, and nobody calls it: 127.0.0.1 is the one that is called. */
const ASIDE = ['127.255.255.254'];

/**
 * Takes a port for workers. That nobody else has it shows an exclusive listener, which is closed before it could accept
 * anything; who connects in just that moment is reset. From then on one beside it holds the port, at an address that nobody
 * calls: other services cannot have the port, workers can join, and until they do who connects is refused by the kernel, as
 * before the start.
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
