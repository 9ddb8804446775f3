import { readFileSync } from 'node:fs';
import { BootError } from '../../error.ts';
import { connect, DEADLINES, type Connection } from '../s3/connection.ts';
import { remoteStore, type RemoteStore } from '../s3/store.ts';
import { accessTokens, type ServiceAccount } from './access-token.ts';

export type GcsAccount = { bucket: string; keyFilename: string; projectId: string | undefined };

const ENDPOINT = 'https://storage.googleapis.com';

/**
 * Google Cloud Storage through its XML API, which is that of S3 with other header names, and access tokens instead of signatures.
 * @throws BootError where the key file cannot be read as one.
 */
export function gcsStore({ bucket, keyFilename, projectId }: GcsAccount, endpoint = ENDPOINT): RemoteStore {
  const account = readKeyFile(bucket, keyFilename);
  return remoteStore('gcs', connectGcs(accessTokens(account, DEADLINES.answer), projectId ?? account.project_id, endpoint), bucket);
}

type Message = { headers: Record<string, string> };

function connectGcs(token: () => Promise<string>, projectId: string | undefined, endpoint: string): Connection {
  const project = projectId === undefined ? {} : { 'x-goog-project-id': projectId };
  const sign = async <Request extends Message>(request: Request): Promise<Request> => {
    request.headers = { ...renamed(request.headers, 'x-amz-', 'x-goog-'), ...project, authorization: `Bearer ${await token()}` };
    return request;
  };
  const connection = connect({
    endpoint, region: 'auto', forcePathStyle: true, credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
    signer: { sign },
  });
  for (const client of [connection.ask, connection.read]) {
    client.middlewareStack.add(next => async args => {
      const result = await next(args);
      const response = result.response as Message;
      response.headers = renamed(response.headers, 'x-goog-', 'x-amz-');
      return result;
    }, { step: 'deserialize', priority: 'low' });
  }
  return connection;
}

/** A hash of the body belongs to a signature. */
function renamed(headers: Record<string, string>, from: string, to: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers)
    .filter(([name]) => name.toLowerCase() !== 'x-amz-content-sha256')
    .map(([name, value]) => [name.toLowerCase().startsWith(from) ? to + name.slice(from.length) : name, value]));
}

function readKeyFile(bucket: string, file: string): ServiceAccount & { project_id?: string } {
  try {
    const found = JSON.parse(readFileSync(file, 'utf8')) as Partial<ServiceAccount> | null;
    const { client_email, private_key, token_uri } = found ?? {};
    if ([client_email, private_key, token_uri].every(value => typeof value === 'string')) return found as ServiceAccount;
  } catch {
    // said below: what a parser says would show the key
  }
  throw new BootError(`The bucket ${bucket} needs the key file of a service account (GCS_KEY_FILENAME or GOOGLE_APPLICATION_CREDENTIALS): `
    + 'the one that is named cannot be read, or is none.');
}
