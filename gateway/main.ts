// Serves until it is told to end.
import { start } from './boot/start.ts';
import { end, reasonOf } from './process/ending.ts';

// A closed terminal hangs up.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => void end(0));
start(process.env).catch((error: unknown) => {
  console.error(reasonOf(error));
  void end(1);
});
