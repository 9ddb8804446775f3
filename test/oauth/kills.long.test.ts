// SIGKILL of the gateway while codes are redeemed and refresh tokens exchanged: no code works twice, no refresh token leads to two that
// live, and what was answered is known afterwards.
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { generator, runs, seed } from '../harness/effort.ts';
import type { Answer } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { agentsAt } from '../mcp/agent.ts';
import type { Tokens } from './clients.ts';
import { startProcess } from './served.ts';

/** Codes of a kill, and how many clients go through them. */
const [CODES, AT_ONCE] = [60, 12];

/** A code, how many redeem it at once and then exchange the refresh token at once, and what they were answered. */
type Attempt = { code: string; rivals: number; won: Tokens[]; exchanged: Tokens[] };

test(`codes and refresh tokens beside kills of the gateway (RANDOM_SEED=${seed})`, async t => {
  const below = generator(seed);
  const { url, sql } = await createDatabase(t, { template: 'served' });
  let { gateway, service } = await startProcess(t, { DATABASE_URL: url });
  const client = await service.registerClient();
  const ada = await service.register('ada@example.org');
  const kills = Math.max(3, runs(20));
  const counts = { answers: 0, unanswered: 0, redeemed: 0, exchanged: 0 };

  for (let kill = 0; kill < kills; kill++) {
    const attempts: Attempt[] = [];
    while (attempts.length < CODES) {
      attempts.push({ code: await service.codeFor(client, ada), rivals: 1 + below(2), won: [], exchanged: [] });
    }
    const last = counts.answers + 1 + Math.floor(2 * CODES * (kill + below(100) / 100) / kills); // early, late and between
    const waiting = [...attempts];
    const running = Array.from({ length: AT_ONCE }, async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await run(next);
    });
    await until('some are answered', () => counts.answers >= last, { pause: 1 });
    gateway.process.kill('SIGKILL');
    await Promise.all(running);
    await gateway.ended;
    ({ gateway, service } = await startProcess(t, { DATABASE_URL: url }));
    for (const attempt of attempts) await requireOneUse(attempt);
  }
  t.same(await sql`
    select r.family_id from service.oauth_refresh_tokens r join service.oauth_families f on f.id = r.family_id
    where r.consumed_at is null and f.revoked_at is null group by 1 having count(*) > 1`, [], 'a family has one refresh token that works');
  t.ok(counts.redeemed > 0 && counts.exchanged > 0 && counts.unanswered > 0, 'kills came between');
  t.comment(`${kills} kills: ${JSON.stringify(counts)}`);

  async function run({ code, rivals, won, exchanged }: Attempt): Promise<void> {
    const { redeem, refresh } = service;
    await Promise.all(Array.from({ length: rivals }, () => into(won, () => redeem(client, code))));
    const [tokens] = won;
    if (tokens === undefined) return;
    await Promise.all(Array.from({ length: rivals }, () => into(exchanged, () => refresh(client, tokens.refresh_token))));
  }

  async function into(all: Tokens[], ask: () => Promise<Answer>): Promise<void> {
    const answer = await ask().catch(() => undefined);
    counts[answer === undefined ? 'unanswered' : 'answers'] += 1;
    if (answer?.status === 200) all.push(answer.body as Tokens);
  }

  /** After the kill. Rivals end what the first of them got, as a second use does: only a lone client keeps it. */
  async function requireOneUse({ code, rivals, won, exchanged }: Attempt): Promise<void> {
    const { ask } = agentsAt(service);
    counts.redeemed += won.length;
    counts.exchanged += exchanged.length;
    t.ok(won.length <= 1 && exchanged.length <= won.length, 'one of the rivals wins');
    const [tokens] = won;
    const [next] = exchanged;
    if (rivals === 1 && tokens !== undefined) {
      t.equal((await ask(tokens.access_token, { method: 'ping' })).status, 200, 'an access token that was answered counts');
      if (next !== undefined) {
        t.equal((await service.refresh(client, next.refresh_token)).status, 200, 'a refresh token that was answered works');
        t.equal((await service.refresh(client, tokens.refresh_token)).status, 400, 'the one before does not');
      }
    }
    const again = await service.redeem(client, code);
    const thrice = await service.redeem(client, code);
    t.equal(thrice.body.error, 'invalid_grant');
    if (tokens !== undefined) t.equal(again.body.error, 'invalid_grant', 'a code that was answered works no more');
    const bearers = [...won, ...exchanged, ...again.status === 200 ? [again.body as Tokens] : []].map(({ access_token: bearer }) => bearer);
    for (const bearer of bearers) {
      await until('a code that came again takes back what it gave', async () => (await ask(bearer, { method: 'ping' })).status === 401);
    }
  }
});
