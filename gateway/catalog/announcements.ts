import postgres from 'postgres';

/**
 * Where news of the catalog come from. `changed` hears the payload of each; `resumed` is called when listening begins, and
 * when it begins again after a break, since what was missed meanwhile is not known.
 */
export type Announcements = (changed: (payload: string) => void, resumed: () => void) => Promise<{ end: () => Promise<void> }>;

/** The database's own, on a connection past any pooler. */
export function listenAt(url: string): Announcements {
  return async (changed, resumed) => {
    const listener = postgres(url, { max: 1, fetch_types: false, onnotice: () => undefined, connection: { application_name: 'rowgate listen' } });
    const end = (timeout: number) => listener.end({ timeout });
    try {
      await listener.listen('service_catalog', changed, resumed);
      return { end: () => end(1) };
    } catch (error) {
      await end(0); // or it would go on trying
      throw error;
    }
  };
}

/** Where nothing can be heard. */
export const unannounced: Announcements = () => Promise.resolve({ end: () => Promise.resolve() });
