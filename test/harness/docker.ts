import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';

const IMAGE = 'pgvector/pgvector:0.8.7-pg17';
const OWNER = { user: 'rowgate', password: 'rowgate', database: 'rowgate' };

/** A PostgreSQL server in Docker, or undefined when no engine answers or none can be started. */
export async function startInDocker(settings: Record<string, string>): Promise<{
  url: string; kind: string; stop: () => Promise<void>;
} | undefined> {
  if (!(await engineAnswers())) return undefined;
  try {
    return await startContainer(settings);
  } catch {
    return undefined; // an engine that cannot reach the image
  }
}

async function startContainer(settings: Record<string, string>): Promise<{ url: string; kind: string; stop: () => Promise<void> }> {
  const { GenericContainer, Wait } = await import('testcontainers'); // half a second that is spent only where it is used
  const container = await new GenericContainer(IMAGE)
    .withEnvironment({ POSTGRES_USER: OWNER.user, POSTGRES_PASSWORD: OWNER.password, POSTGRES_DB: OWNER.database })
    .withCommand(Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]))
    .withExposedPorts(5432)
    // Once for the server that initialises, once for the one that stays.
    .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
    .start();
  return {
    url: `postgres://${OWNER.user}:${OWNER.password}@${container.getHost()}:${container.getMappedPort(5432)}/${OWNER.database}`,
    kind: `${IMAGE} in Docker`,
    async stop() { await container.stop(); },
  };
}

/** testcontainers takes seconds to find that there is no engine; a connection attempt tells at once. */
async function engineAnswers(): Promise<boolean> {
  const answers = await Promise.all(engineAddresses().map(accepts));
  return answers.includes(true);
}

type Address = { path: string } | { host: string; port: number };

function engineAddresses(): Address[] {
  const named = process.env['DOCKER_HOST'];
  if (named) return [addressOf(new URL(named))];
  return ['/var/run/docker.sock', join(process.env['XDG_RUNTIME_DIR'] ?? '/run',
    'docker.sock'), join(homedir(), '.docker/run/docker.sock'), join(homedir(), '.docker/desktop/docker.sock')]
    .filter(path => existsSync(path))
    .map(path => ({ path }));
}

function addressOf(url: URL): Address {
  return url.protocol === 'unix:' ? { path: url.pathname } : { host: url.hostname, port: Number(url.port || 2375) };
}

function accepts(address: Address): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(address);
  socket.on('connect', () => resolve(true)).on('error', () => resolve(false)).setTimeout(500, () => resolve(false));
  return promise.finally(() => socket.destroy());
}
