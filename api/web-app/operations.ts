import { exampleAnswer } from '../http/examples.ts'
import type { Operations } from '../http/operation.ts'
import { noQuery } from '../http/validation/query.ts'
import { appEnvelope } from './answers.ts'

/** The route of the web app's own questions, for the description of the API. */
export const webAppOperations: Operations = {
  'GET /api/v1/app': {
    tag: 'Service',
    summary: 'Show what a web app has to know before anybody signs in',
    description: 'Open to anybody. The JWT of an administrator is told where Temporal’s UI is besides.',
    query: noQuery,
    answers: {
      200: {
        description: 'How this installation is set up',
        schema: appEnvelope,
        examples: {
          'on one machine': exampleAnswer({
            version: '0.1.0',
            registration: 'closed',
            liveTrading: false,
            mailbox: true,
            pushKey: null,
            heartbeatSeconds: 15,
            serverTime: '2026-03-02T14:30:05.000Z',
            temporalUiUrl: null,
          }),
        },
      },
    },
    errors: [],
  },
}
