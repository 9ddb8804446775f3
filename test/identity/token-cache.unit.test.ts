import { test } from 'tap';
import { cachedVerifier } from '../../gateway/identity/token-cache.ts';
import { tokenVerifier } from '../../gateway/identity/token.ts';
import { hs256, jwtSecret, seconds } from './token-samples.ts';

/** The real verifier, with the number of times it ran, and a clock that can be put forward. */
function counted() {
  const clock = { ahead: 0 };
  const verify = tokenVerifier(jwtSecret, new Map());
  const count = { verifications: 0 };
  const { caller } = cachedVerifier(token => {
    count.verifications += 1;
    return verify(token);
  }, () => Date.now() + clock.ahead);
  return { caller: async (token: string) => caller(token), now: caller, count, clock };
}

test('a signature is verified once, also for callers that come at the same time', async t => {
  const { caller, now, count } = counted();
  const token = await hs256();
  const callers = await Promise.all(Array.from({ length: 50 }, () => caller(token)));
  t.equal(new Set(callers).size, 1, 'one caller, whose claims were built once');
  t.equal(now(token), callers[0], 'a known token is answered without waiting');
  t.equal(count.verifications, 1);
  await caller(await hs256({ uid: 'bob' }));
  t.equal(count.verifications, 2);
});

test('a refused token is refused again without being verified again', async t => {
  const { caller, now, count } = counted();
  for (const token of [
    await hs256({ uid: 'eve' }, 'x'.repeat(40)), await hs256({ uid: 'service' }), await hs256({ uid: 'ada', exp: seconds(-1) }),
  ]) {
    await t.rejects(caller(token), { code: 'UNAUTHORIZED' });
    t.throws(() => now(token), { code: 'UNAUTHORIZED' });
  }
  t.equal(count.verifications, 3);
});

test('a token that is not valid yet is asked again', async t => {
  const { caller, count } = counted();
  const token = await hs256({ uid: 'ada', nbf: seconds(60) });
  for (let i = 0; i < 3; i += 1) await t.rejects(caller(token), /not valid yet/);
  t.equal(count.verifications, 3);
});

test('a known token is refused from the moment it expires', async t => {
  const { caller, now, count, clock } = counted();
  const token = await hs256({ uid: 'ada', exp: seconds(600) });
  const { expiresAt } = await caller(token);
  t.match(now(token), { uid: 'ada' });
  clock.ahead = expiresAt - Date.now();
  t.throws(() => now(token), { status: 401, code: 'UNAUTHORIZED', message: /expired/ });
  t.equal(count.verifications, 1);
});

test('good tokens survive a flood of bad ones', async t => {
  const { caller, count } = counted();
  const token = await hs256();
  await caller(token);
  const [head, claims] = token.split('.');
  await Promise.allSettled(Array.from({ length: 5000 },
    (_, i) => caller(`${head}.${claims}.${Buffer.from(`forged ${i}`).toString('base64url')}`)));
  t.equal(count.verifications, 5001);
  await caller(token);
  t.equal(count.verifications, 5001);
});
