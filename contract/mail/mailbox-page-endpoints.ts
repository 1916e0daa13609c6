import { endpoints } from '../endpoint.ts'
import { z } from 'zod'

export const mailboxEndpoints = endpoints({
  'GET /mailbox': {
    tag: null,
    summary: 'Read the messages that no mail server has sent',
    // Of any form: without the secret there is nothing here, not even a fault.
    query: z.looseObject({ secret: z.unknown().optional() }),
    answers: { 200: { description: 'The page', schema: null } },
    errors: ['NOT_FOUND'],
  },
})
