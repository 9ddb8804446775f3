import { test } from 'tap';
import { planWorkers } from '../../gateway/process/workers/plan.ts';

test('the connections of one start are shared out, three of them the parent\'s', t => {
  t.same(planWorkers({ workers: 1, dbPoolMax: 20 }), { count: 1, poolMax: 20 });
  t.same(planWorkers({ workers: 2, dbPoolMax: 20 }), { count: 2, poolMax: 8 });
  t.same(planWorkers({ workers: 4, dbPoolMax: 20 }), { count: 4, poolMax: 4 });
  t.throws(() => planWorkers({ workers: 5, dbPoolMax: 20 }), { message: /^SERVICE_WORKERS 5 needs DB_POOL_MAX 23 or more/ });
  t.same(planWorkers({ workers: 2, dbPoolMax: 20 }, 5), { count: 2, poolMax: 6 }, 'and one for each function that it calls');
  t.end();
});

test('auto is one a core, as far as the connections reach', t => {
  t.same(planWorkers({ workers: 'auto', dbPoolMax: 100 }, 0, 8), { count: 8, poolMax: 12 });
  t.same(planWorkers({ workers: 'auto', dbPoolMax: 20 }, 0, 8), { count: 4, poolMax: 4 });
  t.same(planWorkers({ workers: 'auto', dbPoolMax: 9 }, 0, 8), { count: 1, poolMax: 9 });
  t.same(planWorkers({ workers: 'auto', dbPoolMax: 20 }, 0, 1), { count: 1, poolMax: 20 });
  t.end();
});
