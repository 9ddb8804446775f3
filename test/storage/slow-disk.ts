import { inPlace } from '../../gateway/blobs/pace.ts';

/** What is written within the next seconds is written as to a disk that takes long. */
export function slowDisk(): void {
  inPlace(() => { for (const until = performance.now() + 50; performance.now() < until;); });
}
