import { ApiError } from '../../error.ts';

/** Runs the work; its result is dropped where it comes later. The controller is made when it is asked for, and aborts then. */
export async function within<T>(milliseconds: number, work: (ending: () => AbortController) => Promise<T>): Promise<T> {
  let controller: AbortController | undefined;
  const ending = () => controller ??= new AbortController();
  const working = work(ending);
  if (milliseconds === 0) return working;
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(overdue());
    ending().abort();
  }, milliseconds);
  try {
    return await Promise.race([working, promise]);
  } finally {
    clearTimeout(timer);
  }
}

export function overdue(cause?: unknown): ApiError {
  return new ApiError(504, 'FUNCTION_TIMEOUT', 'The function took too long.', undefined, { cause });
}
