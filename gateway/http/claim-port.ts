import { BootError } from '../error.ts';
import { candidatePorts, listenAlone, listenBeside, refusal, type ListenConfig } from './listen.ts';
import { App, us_listen_socket_close, us_socket_local_port } from './uws.ts';

/** A port that only this process's workers may share, for as long as it lives or until `release`. */
export type PortClaim = { port: number; release: () => void };

/** Of this machine, and nobody calls it: 127.0.0.1 is the one that is called. */
const ASIDE = '127.255.255.254';

/**
 * Takes a port for workers. That nobody else has it shows an exclusive listener, which is closed before it could accept
 * anything. From then on one beside it holds the port, at an address that nobody calls: other programs cannot have the port,
 * workers can join, and until they do who connects is refused by the kernel, as before the start.
 * @throws BootError naming the port when it is taken.
 */
export function claimPort(config: ListenConfig): PortClaim {
  const app = App().any('/*', response => void response.close());
  for (const wanted of candidatePorts(config)) {
    const alone = listenAlone(app, wanted);
    if (alone === undefined) continue;
    const port = us_socket_local_port(alone);
    us_listen_socket_close(alone);
    const held = listenBeside(app, port, ASIDE);
    if (held !== undefined) return { port, release: () => us_listen_socket_close(held) };
  }
  throw new BootError(refusal(config));
}
