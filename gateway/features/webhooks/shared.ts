import type { Config } from '../config.ts';
import type { SharedContext } from '../feature.ts';
import type { Handlers } from '../job.ts';
import { keepTriggers, type PlannedTrigger } from '../../catalog/keep-triggers.ts';
import { BootError } from '../../error.ts';
import { createDelivery } from './deliver.ts';
import type { Webhook, WebhookProblem, Webhooks } from './webhooks.ts';

/** @throws BootError for all problems at once, those of the file and those that only the database knows. */
export async function prepare({ config, database, log }: SharedContext): Promise<void> {
  const { owner, catalog, mayChange } = database;
  const { problems } = config.webhooks;
  const check = problems.length > 0 ? owner`service_private.webhook_problems` : owner`service_private.use_webhooks`;
  const found = await owner<WebhookProblem[]>`
    select path, problem from ${check}(${JSON.stringify(toldOf(config.webhooks))}::text::jsonb) order by path`;
  const all = [...problems, ...found].map(({ path, problem }) => `${path} of the settings file: ${problem}.`);
  if (all.length > 0) throw new BootError(all.join('\n'));
  await keepTriggers({ owner, catalog, mayChange, log }, { plan, consequence: 'tells its webhooks of no change' });

  async function plan(): Promise<PlannedTrigger[]> {
    await owner`select service_private.resolve_webhooks()`;
    return owner<PlannedTrigger[]>`select name, statement, problem from service_private.plan_webhooks()`;
  }
}

export function standing({ webhooks }: Config): Record<string, unknown> {
  return { webhooks: toldOf(webhooks) };
}

export function handlers({ config, database, log }: SharedContext): Handlers {
  return { 'service.webhook': createDelivery({ webhooks: config.webhooks.webhooks, ask: database.jobs, log }) };
}

function toldOf({ webhooks }: Webhooks): Webhook['told'][] {
  return webhooks.map(({ told }) => told);
}
