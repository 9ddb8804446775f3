import { test } from 'tap';
import { createService } from '../harness/service.ts';
import { refusedUpgrade } from './upgrade.ts';

test('where realtime is switched off, a WebSocket is refused with the setting that says so', async t => {
  const service = await createService(t, { template: 'served', env: { REALTIME_CDC: 'off' } });
  for (const path of ['/', '/api', '/api/data/none']) {
    t.match(await refusedUpgrade(service.address, path),
      { status: 501, body: { error: { code: 'FEATURE_DISABLED', details: { setting: 'REALTIME_CDC' } } } }, path);
  }
  t.equal((await fetch(new URL('/livez', service.address))).status, 200);
});
