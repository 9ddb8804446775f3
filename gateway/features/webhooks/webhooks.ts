import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Environment } from '../../config/setting.ts';
import type { GivenText, WebhookSetting } from './settings-file.ts';
import { keyOf } from './sign.ts';

const EVENTS = ['INSERT', 'UPDATE', 'DELETE'] as const;
export type WebhookEvent = (typeof EVENTS)[number];

export type Webhook = {
  id: string;
  url: string;
  /** Texts of the settings that no table and no log may hold. */
  secrets: readonly string[];
  /** The keys that events are signed with, the newest first. */
  keys: readonly Buffer[];
  headers: Readonly<Record<string, string>>;
  allowPrivateNetworks: boolean;
  /** The part that the database knows (service_private.use_webhooks). */
  told: {
    id: string; table: string; events: readonly string[]; columns?: readonly string[]; excludeColumns?: readonly string[];
    ordered: boolean; maxAttempts: number; enabled: boolean;
  };
};
/** They stop the start, together with those that only the database knows. `path`: `webhooks[0].url`. */
export type WebhookProblem = { path: string; problem: string };
export type Webhooks = { webhooks: readonly Webhook[]; problems: readonly WebhookProblem[] };

/** They say how the message is sent, which is not a setting's to say. */
const FRAMING = new Set(['connection', 'content-length', 'expect', 'host', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade']);
const DEFAULT_ATTEMPTS = 3;

/** Reads what the settings file says of webhooks, with the values of the variables that it names. */
export function readWebhooks(settings: readonly WebhookSetting[] = [], env: Environment): Webhooks {
  const problems: WebhookProblem[] = [];
  const webhooks = settings.map((setting, i) => {
    const report = (place: string, problem: string) => { problems.push({ path: `webhooks[${i}].${place}`, problem }); };
    return readWebhook(setting, env, report);
  });
  for (const [i, { id }] of webhooks.entries()) {
    const isTaken = webhooks.findIndex(other => other.id === id) !== i;
    if (isTaken) problems.push({ path: `webhooks[${i}].id`, problem: `another webhook has the id ${id}` });
  }
  return { webhooks, problems };
}

type ReportPlace = (place: string, problem: string) => void;

function readWebhook(setting: WebhookSetting, env: Environment, report: ReportPlace): Webhook {
  const { enabled = true } = setting;
  const read = (place: string, given: GivenText) => textOf(place, given, env, report);
  /** Reads texts that events are sent with: a disabled webhook sends none, so it lacks nothing. */
  const readSent = enabled ? read : (place: string, given: GivenText) => textOf(place, given, env, () => undefined);
  const all = (place: string, given: readonly GivenText[], reading = read) => given.map((one, i) => reading(`${place}[${i}]`, one));
  const id = read('id', setting.id);
  if (!/^([!-~]([ -~]{0,98}[!-~])?)?$/.test(id)) report('id', 'must be 1 to 100 characters of ASCII');
  const url = readSent('url', setting.url);
  requireUrl(url, report);
  const { secret = [] } = setting;
  const secrets = Array.isArray(secret) ? all('secret', secret, readSent) : [readSent('secret', secret)];
  const keys = secrets.map((secret, i) => keyOf(secret) ?? wrongKey(`secret${secrets.length > 1 ? `[${i}]` : ''}`, report));
  const headers = Object.entries(setting.headers ?? {}).map(([name, given]) => [name, readSent(`headers.${name}`, given)] as const);
  for (const [name, value] of headers) requireHeader(name, value, report);
  const events = all('events', setting.events);
  for (const [i, event] of events.entries()) {
    const isKnown = (EVENTS as readonly string[]).includes(event);
    if (!isKnown && event !== '') report(`events[${i}]`, `there is no event ${event}; there are ${EVENTS.join(', ')}`);
  }
  const { columns, excludeColumns, allowPrivateNetworks = false, maxAttempts = DEFAULT_ATTEMPTS, ordered = false } = setting;
  return {
    id, url, keys, headers: Object.fromEntries(headers), allowPrivateNetworks,
    secrets: [...secrets, ...headers.map(([, value]) => value), ...partsOf(url)],
    told: {
      id, table: read('table', setting.table), events, ordered, maxAttempts, enabled,
      ...(columns && { columns: all('columns', columns) }),
      ...(excludeColumns && { excludeColumns: all('excludeColumns', excludeColumns) }),
    },
  };
}

/** A token may be a part of the address, and a receiver may name what it was asked for. */
function partsOf(url: string): string[] {
  if (!URL.canParse(url)) return [];
  const { pathname, search } = new URL(url);
  return [url, pathname, search];
}

function textOf(place: string, given: GivenText, env: Environment, report: ReportPlace): string {
  if (typeof given === 'string') {
    if (given === '') report(place, 'must not be empty');
    return given;
  }
  const value = env[given.env]?.trim() ?? '';
  if (value === '') report(`${place}.env`, `the variable ${given.env} is not set`);
  return value;
}

/** A URL may hold a token, so no problem shows it. */
function requireUrl(url: string, report: ReportPlace): void {
  if (url === '') return;
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) report('url', 'must be an absolute http or https URL');
  else if (parsed.username !== '' || parsed.password !== '') {
    report('url', 'must have no user name and no password; headers may have an authorization');
  }
}

function requireHeader(name: string, value: string, report: ReportPlace): void {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch (error) {
    const isName = (error as NodeJS.ErrnoException).code === 'ERR_INVALID_HTTP_TOKEN';
    report(`headers.${name}`, isName ? 'is no name of a header' : 'has a character that no header may have');
  }
  if (FRAMING.has(name.toLowerCase())) report(`headers.${name}`, 'is a header that the service sets itself');
}

function wrongKey(place: string, report: ReportPlace): Buffer {
  report(place, 'begins with whsec_, so the rest must be Base64');
  return Buffer.alloc(0);
}
