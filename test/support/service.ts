import type { Client } from '@temporalio/client'
import type { ApiClient } from './api-client.ts'
import type { VenueDesk } from './venue-desk.ts'

/** A whole service that drills and benchmarks act on, whatever processes it consists of. */
export interface Service {
  readonly api: ApiClient
  readonly venue: VenueDesk
  /** The accounts that signals may name. */
  readonly accountIds: readonly string[]
  /** The account in which a symbol is traded. */
  accountOf(symbol: string): string
  readonly logFolder: string
  /** Process ids by name, as they are now. */
  processes(): Record<string, number>
  /** Waits until every part works. */
  untilReady(): Promise<void>
  /** Rows of the service's database, each read on a connection of its own. */
  query<Row>(statement: string): Promise<Row[]>
  /** The API as the person sees it to whom the accounts belong, signed in at the web application. */
  signIn(): Promise<ApiClient>
  /** A client of its Temporal that reads what the parts have encrypted. */
  temporal(): Promise<Client>
  /** What every part wrote last. */
  logs(): string
  /** Stops every part and removes all data and logs. */
  close(): Promise<void>
}
