import type { Client } from '@temporalio/client'

/** How the gateway reaches Temporal. */
export interface Calls {
  client: Client
  taskQueue: string
  /** Makes an idempotent call, again and again while Temporal is not there, until the time is over. */
  bounded<T>(milliseconds: number, call: () => Promise<T>): Promise<T>
}
