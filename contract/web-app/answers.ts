import { z } from 'zod'

export const appAnswer = z.strictObject({
  version: z.string(),
  registration: z
    .enum(['open', 'closed', 'firstUser'])
    .describe(
      'firstUser: nobody has registered yet, and the first one needs the setupSecret of the installation',
    ),
  liveTrading: z.boolean().describe('The operator lets users trade real money'),
  mailbox: z.boolean().describe('Messages are not sent by mail: they are kept on the machine of the service'),
  pushKey: z
    .string()
    .nullable()
    .describe(
      'The key with which browsers subscribe to notifications, a point of P-256 in base64url; null where they are switched off',
    ),
  heartbeatSeconds: z.number().describe('Between two heartbeats of an event stream'),
  serverTime: z.iso.datetime().describe('The clock of the service, by which orders are sent'),
  temporalUiUrl: z
    .string()
    .nullable()
    .describe(
      "Where Temporal's UI shows the namespace of this service; for administrators, and where the operator has set it",
    ),
})

export type AppAnswer = z.output<typeof appAnswer>
