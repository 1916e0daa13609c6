import { z } from 'zod'

/** Server-sent events, as the HTML Standard writes them; their data is JSON. */
export const eventStreamAnswer = z.string()

/** A way into the stream of events, once. */
export const ticketAnswer = z.strictObject({
  ticket: z.string().describe('Shown once; good for one stream'),
  expiresAt: z.iso.datetime(),
})
