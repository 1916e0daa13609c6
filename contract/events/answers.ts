import { z } from 'zod'

export const eventStreamAnswer = z.string()

export const ticketAnswer = z.strictObject({
  ticket: z.string().describe('Shown once; good for one stream'),
  expiresAt: z.iso.datetime(),
})
