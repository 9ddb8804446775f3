import { type Logger } from 'pino';
import { type Config } from '../config/config.ts';
import { BootError } from '../error.ts';
import { createServer, type Place, type Server } from '../http/server.ts';
import { createIdentity } from '../identity/identity.ts';
import { type Secrets } from '../identity/secrets.ts';
import { growSlowly } from '../process/heap.ts';
import { auditBoard, type AuditBoard } from './audit.ts';
import { type Database } from './database.ts';
import { features, routes } from './surfaces.ts';

export type Service = { port: number; close: (deadline: number) => Promise<void> };
/** `place`: one of several processes on a port. */
export type ServeOptions = { config: Config; secrets: Secrets; audit?: AuditBoard; place?: Place; log: Logger };

/** Serves a database that is open: identity, surfaces, server. Closing the service closes the database too. */
export async function serve(database: Database, { config, secrets, audit = auditBoard(), place, log }: ServeOptions): Promise<Service> {
  growSlowly();
  const identity = createIdentity({ config, secrets: { ...secrets, signingKeys: signingKeys(config) } });
  const isDraining = () => server.draining;
  const server = createServer({ config, routes: routes({ config, database, identity, audit, isDraining, log }), features, log, place });
  const { port } = await server.listen().catch((error: unknown) => {
    throw new BootError((error as Error).message, { cause: error }); // it names the port
  });
  return { port, close: deadline => close(server, database, deadline) };
}

function signingKeys({ jwtPrivateKey, jwtKeyId }: Config) {
  return jwtPrivateKey === undefined ? [] : [{ kid: jwtKeyId, privateKeyPem: jwtPrivateKey }];
}

/** First the answers that are under way, then what they need. */
async function close(server: Server, database: Database, deadline: number): Promise<void> {
  const started = Date.now();
  await server.close(deadline);
  await database.close(Math.max(0, deadline - (Date.now() - started)));
}
