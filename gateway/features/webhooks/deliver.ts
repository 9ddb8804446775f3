import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { FairExecutor } from '../../database/fair-executor.ts';
import { OutboundError, RefusedError, request, type Answer } from '../../outbound/request.ts';
import { LastAttempt, NotHere, TryLater, type Handler, type Job } from '../job.ts';
import { inBatches } from './batches.ts';
import { bodySignature, messageSignatures } from './sign.ts';
import type { Webhook, WebhookEvent } from './webhooks.ts';

/** The payload that service_private.enqueue_webhooks writes. `body`: JSON, sent as it is. */
type Payload = { webhookId: string; eventId: string; event: WebhookEvent; body: string };

/** As service.webhooks has it. */
type State = { id: string; enabled: boolean; paused: boolean };

export type DeliveryOptions = {
  webhooks: readonly Webhook[];
  ask: FairExecutor;
  log: Logger;
  /** Milliseconds that a receiver has to answer. */
  deadline?: number;
};

/** Milliseconds before the second, third and fourth attempt. Each further wait is four times as long, up to an hour. */
const WAITS = [1_000, 5_000, 15_000] as const;
const LONGEST_WAIT = 3_600_000;
/** Characters that are kept of an answer, and bytes that are read of it: a character has four at most, and a secret may be cut out. */
const KEPT = 1_000;
const MOST = 8_000;
const CALLER = 'webhooks';

/** Handles the jobs `service.webhook`: an attempt is one POST, which is recorded in service.webhook_deliveries. */
export function createDelivery({ webhooks, ask, log, deadline = 10_000 }: DeliveryOptions): Handler {
  const byId = new Map(webhooks.map(webhook => [webhook.id, webhook]));
  const standing = inBatches((ids: string[]) => statesOf(ids));
  const recorded = inBatches((deliveries: object[]) =>
    ask(CALLER, sql => sql`select service_private.record_deliveries(${JSON.stringify(deliveries)}::text::jsonb)`));
  return { run: deliver, most, backoff };

  async function deliver(job: Job, { signal }: { signal: AbortSignal }): Promise<unknown> {
    const payload = job.payload as Payload;
    const webhook = await findOpen(payload.webhookId);
    const sent = { id: randomUUID(), began: performance.now() };
    const { url, allowPrivateNetworks } = webhook;
    try {
      const answer = await request({
        url, method: 'POST', headers: headersOf(webhook, payload, { deliveryId: sent.id, attempt: job.attempt }), body: payload.body,
        deadline, most: MOST, cuts: true, reach: allowPrivateNetworks ? 'any' : 'public', signal,
      });
      const error = failureOf(answer);
      await record({ status: answer.status, body: keptOf(answer.body, webhook.secrets), error: error?.message });
      if (answer.status === 410) await ask(CALLER, sql => sql`select service_private.pause_webhook(${webhook.id})`);
      if (error !== undefined) throw error;
      return { statusCode: answer.status };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      await record({ status: error instanceof RefusedError ? error.status : 0, error: storable(error.message) });
      signal.throwIfAborted();
      throw error instanceof RefusedError ? new LastAttempt(error.message) : error;
    }

    /** An event is not sent again because its record could not be written. */
    async function record(outcome: { status: number; body?: string; error: string | undefined }): Promise<void> {
      const duration = Math.round(performance.now() - sent.began);
      const { webhookId: webhook, eventId: event } = payload;
      await recorded({ ...outcome, id: sent.id, job: job.id, webhook, event, attempt: job.attempt, duration }).catch((error: unknown) => {
        log.warn({ err: error, job: job.id }, 'the delivery of a webhook could not be recorded');
      });
    }
  }

  /**
   * The webhooks of the last start stand, also for a process that began with other settings.
   * @throws LastAttempt where no event is to be sent, NotHere where only others know where to.
   */
  async function findOpen(id: string): Promise<Webhook> {
    const state = (await standing(id)).find(state => state.id === id);
    if (state === undefined) throw new LastAttempt(`The settings have no webhook ${id}.`);
    if (!state.enabled) throw new LastAttempt(`The webhook ${id} is disabled.`);
    if (state.paused) {
      throw new LastAttempt(`The webhook ${id} is paused, because its receiver answered 410: service.webhook_resume ends that.`);
    }
    const webhook = byId.get(id);
    if (webhook?.told.enabled !== true) throw new NotHere(`The settings of this process do not have the webhook ${id}.`);
    return webhook;
  }

  async function statesOf(ids: string[]): Promise<State[]> {
    return ask(CALLER, sql => sql<State[]>`
      select id, enabled, paused_at is not null as paused from service.webhooks
      where id = any (array(select jsonb_array_elements_text(${JSON.stringify(ids)}::text::jsonb)))`);
  }
}

/** A receiver that hangs leaves places to the others, and all of them together one to other work. */
function most(places: number): { all: number; ofKey: number } {
  return { all: Math.max(1, places - 1), ofKey: Math.max(1, Math.floor(places / 2)) };
}

function backoff(attempt: number): number {
  return WAITS[attempt - 1] ?? Math.min(WAITS[2] * 4 ** (attempt - WAITS.length), LONGEST_WAIT);
}

type Attempt = { deliveryId: string; attempt: number };

/** A header of the settings takes the place of the service's own, in any case. */
function headersOf({ id, keys, headers }: Webhook, { eventId, event, body }: Payload, { deliveryId, attempt }: Attempt) {
  const timestamp = Math.floor(Date.now() / 1_000);
  const [key] = keys;
  const own: Record<string, string> = {
    'Content-Type': 'application/json',
    'User-Agent': 'Rowgate',
    'X-Webhook-Id': id,
    'X-Webhook-Event': event,
    'X-Webhook-Delivery': deliveryId,
    'X-Webhook-Attempt': String(attempt),
    ...(key && {
      'X-Webhook-Signature': bodySignature(key, body),
      'webhook-id': eventId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': messageSignatures(keys, { id: eventId, timestamp, body }),
    }),
  };
  const given = new Set(Object.keys(headers).map(name => name.toLowerCase()));
  return { ...Object.fromEntries(Object.entries(own).filter(([name]) => !given.has(name.toLowerCase()))), ...headers };
}

/** Undefined for an event that was taken. */
function failureOf({ status, headers }: Answer): Error | undefined {
  if (status >= 200 && status < 300) return undefined;
  const told = `The receiver answered ${status}.`;
  if (status === 410) return new LastAttempt(`${told} The webhook is paused.`);
  if (status >= 300 && status < 400) return new LastAttempt(`${told} Redirects are not followed.`);
  const after = waitOf(headers['retry-after']);
  return after === undefined ? new Error(told) : new TryLater(told, after);
}

/** Milliseconds until a time that is given in seconds from now, or as a date. */
function waitOf(retryAfter: string | undefined): number | undefined {
  const given = retryAfter?.trim() ?? '';
  const wait = /^\d+$/.test(given) ? Number(given) * 1_000 : Date.parse(given) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), LONGEST_WAIT);
}

/** Text that PostgreSQL takes: one that it does not would spoil the others of its statement. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** The beginning of an answer as PostgreSQL can store it. A receiver may send back what it was sent; shorter values are no secrets. */
function keptOf(body: Buffer, secrets: readonly string[]): string {
  const hidden = secrets.filter(({ length }) => length >= 8);
  const text = hidden.reduce((text, secret) => text.replaceAll(secret, '…'), storable(body.toString()));
  return Array.from(text).slice(0, KEPT).join('');
}
