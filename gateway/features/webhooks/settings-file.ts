import { bool, either, list, mapOf, name, object, text, whole, type Schema } from '../../json/json-schema.ts';

/** The key `webhooks` of the settings file. */
export type WebhookSetting = {
  id: GivenText;
  url: GivenText;
  secret?: GivenText | GivenText[];
  headers?: Record<string, GivenText>;
  events: GivenText[];
  table: GivenText;
  enabled?: boolean;
  columns?: GivenText[];
  excludeColumns?: GivenText[];
  allowPrivateNetworks?: boolean;
  maxAttempts?: number;
  ordered?: boolean;
};
/** A text, or the variable that holds it. */
export type GivenText = string | { env: string };

const fromVariable = object('', { env: name('A variable that holds it.') }, ['env']);

function given(description: string, more: Schema = {}): Schema {
  return either(description, 'a text, or {"env": …}', text('', more), fromVariable);
}

const webhook = object('Changes of the rows of a table that a receiver is told of.', {
  id: given('Its name, in logs, tables and the header X-Webhook-Id.'),
  url: given('Where events are sent to: http or https.'),
  secret: either('Signs events. Of several each gives a signature: the new one first, then those that it takes the place of.',
    'a text, {"env": …}, or a list of these', text(''), fromVariable, list('', given(''), { minItems: 1 })),
  headers: mapOf('Sent with each event, before the service\'s own.', given('')),
  events: list('INSERT, UPDATE, DELETE.', given('', { examples: ['INSERT', 'UPDATE', 'DELETE'] }), { minItems: 1 }),
  table: given('A name in public, or schema.table.'),
  enabled: bool('', true),
  columns: list('An update is told only when one of these columns changed.', given(''), { minItems: 1 }),
  excludeColumns: list('Columns that are not sent, beside the excluded properties of the collection.', given('')),
  allowPrivateNetworks: bool('Whether it may be in a private network or on the same machine.', false),
  maxAttempts: whole('How often an event is sent until it is taken; 3 by default.', 1, 1_000),
  ordered: bool('Whether the events of one row are sent one after the other, in the order of their commits.', false),
}, ['id', 'url', 'events', 'table']);

export const webhooksKey = list('HTTP receivers that are told of changes of rows.', webhook);
