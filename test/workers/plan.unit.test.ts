import { test } from 'tap';
import { planWorkers } from '../../gateway/process/workers/plan.ts';

test('the connections of one start are shared out, two of them the parent\'s', t => {
  t.same(planWorkers({ workers: 1, dbPoolMax: 20 }), { count: 1, poolMax: 20 });
  t.same(planWorkers({ workers: 2, dbPoolMax: 20 }), { count: 2, poolMax: 9 });
  t.same(planWorkers({ workers: 4, dbPoolMax: 20 }), { count: 4, poolMax: 4 });
  t.throws(() => planWorkers({ workers: 5, dbPoolMax: 20 }), { message: /^SERVICE_WORKERS 5 needs DB_POOL_MAX 22 or more/ });
  t.end();
});

test('auto is one a core, as far as the connections reach', t => {
  t.same(planWorkers({ workers: 'auto', dbPoolMax: 100 }, 8), { count: 8, poolMax: 12 });
  t.same(planWorkers({ workers: 'auto', dbPoolMax: 20 }, 8), { count: 4, poolMax: 4 });
  t.same(planWorkers({ workers: 'auto', dbPoolMax: 9 }, 8), { count: 1, poolMax: 9 });
  t.same(planWorkers({ workers: 'auto', dbPoolMax: 20 }, 1), { count: 1, poolMax: 20 });
  t.end();
});
