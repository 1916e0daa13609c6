import { endpoints } from '../endpoint.ts'
import { appAnswer } from './answers.ts'

export const webAppEndpoints = endpoints({
  'GET /api/v1/app': {
    tag: 'Service',
    summary: 'Show what a web app has to know before anybody signs in',
    description: 'Open to anybody. The JWT of an administrator is told where Temporal’s UI is besides.',
    answers: {
      200: {
        description: 'How this installation is set up',
        schema: appAnswer,
        examples: {
          'on one machine': {
            version: '0.1.0',
            registration: 'closed',
            liveTrading: false,
            mailbox: true,
            pushKey:
              'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
            heartbeatSeconds: 15,
            serverTime: '2026-03-02T14:30:05.000Z',
            temporalUiUrl: null,
          },
        },
      },
    },
    errors: [],
  },
})
