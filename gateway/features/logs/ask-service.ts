import { ownHost } from '../../config/own-host.ts';
import { BootError } from '../../error.ts';
import { secretsOf } from '../../identity/secrets.ts';
import { readConfig } from '../config.ts';

/**
 * Asks the service that runs with the settings of this folder, as the service key.
 * @throws BootError for a service that does not answer or refuses.
 */
export async function askService(path: string, query: URLSearchParams): Promise<Response> {
  const config = readConfig(process.env);
  const base = `http://${ownHost(config.host)}:${config.port}${config.basePath}`;
  const headers = { authorization: `Bearer ${secretsOf(config).serviceKey}` };
  const response = await fetch(`${base}${path}?${query.toString()}`, { headers }).catch((cause: unknown) => {
    throw new BootError(`No service answers at ${base} (PORT, SERVICE_HOST, SERVICE_BASE_PATH).`, { cause });
  });
  if (response.ok) return response;
  const { error } = await response.json().catch(() => ({})) as { error?: { code: string; message: string } };
  throw new BootError(`${base} answers ${response.status}${error === undefined ? '.' : ` ${error.code}: ${error.message}`}`);
}
