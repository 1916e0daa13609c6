import { endpoints, idOf } from '../endpoint.ts'
import { brokerTypes } from '#domain/account/broker-types.ts'
import { z } from 'zod'
import { examplePaging } from '../envelopes.ts'
import {
  brokerDetailAnswer,
  brokerListAnswer,
  brokerRemovedAnswer,
  brokerTypesAnswer,
  type BrokerAnswer,
  presentBrokerType,
  brokerChange,
  brokerListQuery,
  newBroker,
  paperAccountQuery,
} from './shapes.ts'

const BROKER_EXAMPLE: BrokerAnswer = {
  id: '0b54a3c1-8d2f-4e67-b1a9-5f6e7d8c9b0a',
  brokerType: 'alpaca',
  name: 'Alpaca on paper',
  status: 'connected',
  statusDetail: null,
  lastCheckedAt: '2026-03-02T14:31:10.120Z',
  failingSince: null,
  unansweredSince: null,
  accounts: [
    {
      id: '7f9c24e8-3b12-4a5f-9d0e-1c2b3a4d5e6f',
      brokerAccountId: 'PA3XY7Z9',
      name: 'Alpaca on paper',
      isDemo: true,
      isPrimary: true,
      restrictions: [],
      lastSyncedAt: '2026-03-02T14:31:10.120Z',
    },
  ],
  createdAt: '2026-03-01T09:12:44.000Z',
  updatedAt: '2026-03-01T09:12:44.000Z',
}

const KEYS = { keyId: 'PKAB12CD34EF56GH78IJ', secretKey: 'WmFnMhSGgJ7yZ1wq3oXtXkA9cVb2eRf4' }

const brokerPath = { brokerId: idOf('BROKER_NOT_FOUND') }

const answerOf = (description: string, words: string, broker = BROKER_EXAMPLE) => ({
  description,
  schema: brokerDetailAnswer,
  examples: { [words]: { broker } },
})

export const brokerEndpoints = endpoints({
  'GET /api/v1/brokers': {
    tag: 'Brokers',
    summary: 'List connections, the newest first',
    query: brokerListQuery,
    answers: {
      200: {
        description: 'Connections of the caller, each with its health and accounts',
        schema: brokerListAnswer,
        examples: { 'one connection': { brokers: [BROKER_EXAMPLE], ...examplePaging(1) } },
      },
    },
    errors: [],
  },
  'POST /api/v1/brokers': {
    tag: 'Brokers',
    summary: 'Connect an account at a broker',
    description:
      'Asks the broker with the keys first, and stores the connection and the account that they belong to only when it answers. The keys are stored encrypted and never shown again. The worker follows the account within seconds. An account that was connected before takes its history up again.',
    body: {
      schema: z.strictObject(newBroker),
      examples: {
        'Alpaca on paper': { brokerType: 'alpaca', name: 'Alpaca on paper', isDemo: true, credentials: KEYS },
        'the paper venue': { brokerType: 'paper', credentials: KEYS },
      },
    },
    answers: { 201: answerOf('Connected', 'a paper account') },
    errors: [
      'BROKER_CREDENTIALS_INVALID',
      'BROKER_ERROR',
      'BROKER_SHARE_SPENT',
      'ACCOUNT_ALREADY_CONNECTED',
      'ACCOUNT_SHARED',
      'BROKER_LIMIT_REACHED',
    ],
  },
  'POST /api/v1/brokers/paper-account': {
    tag: 'Brokers',
    summary: 'Open a paper account of your own',
    description:
      'Opens an account with $100,000 at the paper venue of this service and connects it. Asked again with the same number it answers the same account. Offered where GET /brokers/types says so.',
    query: paperAccountQuery,
    answers: {
      201: answerOf('Opened and connected', 'a paper account'),
      200: answerOf('It was there already', 'a paper account'),
    },
    errors: [
      'PAPER_ACCOUNTS_NOT_OFFERED',
      'BROKER_CREDENTIALS_INVALID',
      'BROKER_ERROR',
      'BROKER_SHARE_SPENT',
      'BROKER_LIMIT_REACHED',
    ],
  },
  'GET /api/v1/brokers/types': {
    tag: 'Brokers',
    summary: 'List the kinds of broker, and the keys that each needs',
    answers: {
      200: {
        description: 'Every kind of broker that accounts can be connected to',
        schema: brokerTypesAnswer,
        examples: { 'all of them': { types: brokerTypes.map((type) => presentBrokerType(type, true)) } },
      },
    },
    errors: [],
  },
  'GET /api/v1/brokers/:brokerId': {
    tag: 'Brokers',
    summary: 'Get a connection',
    path: brokerPath,
    answers: {
      200: answerOf('The connection', 'one whose keys were revoked', {
        ...BROKER_EXAMPLE,
        status: 'error',
        statusDetail: 'Wrong key or secret (account: 401)',
        failingSince: '2026-03-02T14:02:31.004Z',
      }),
    },
    errors: ['BROKER_NOT_FOUND'],
  },
  'PATCH /api/v1/brokers/:brokerId': {
    tag: 'Brokers',
    summary: 'Rename a connection, or give it new keys',
    description:
      'What is left out stays. New keys are tried at the broker first, and must belong to the account that is connected. Exits that refused keys have kept from being placed are tried again by themselves.',
    path: brokerPath,
    body: {
      schema: z.strictObject(brokerChange),
      examples: { 'another name': { name: 'Alpaca on paper' }, 'new keys': { credentials: KEYS } },
    },
    answers: { 200: answerOf('The connection as it is now', 'a renamed connection') },
    errors: [
      'BROKER_NOT_FOUND',
      'BROKER_CREDENTIALS_INVALID',
      'BROKER_ERROR',
      'BROKER_SHARE_SPENT',
      'BROKER_ACCOUNT_CHANGED',
    ],
  },
  'DELETE /api/v1/brokers/:brokerId': {
    tag: 'Brokers',
    summary: 'Remove a connection',
    description:
      'Its keys are gone for good, and its accounts are not followed any more; signals, orders and trades stay. Refused while signals wait, orders work or positions are open through it. Orders and positions of a broker that has been out of touch for five minutes do not count, because they are not known.',
    path: brokerPath,
    answers: {
      200: {
        description: 'Removed',
        schema: brokerRemovedAnswer,
        examples: {
          removed: {
            message: 'The connection is removed, and its keys with it; what was traded through it stays',
          },
        },
      },
    },
    errors: ['BROKER_NOT_FOUND', 'BROKER_IN_USE'],
  },
  'POST /api/v1/brokers/:brokerId/test': {
    tag: 'Brokers',
    summary: 'Try a connection',
    description: 'Asks the broker for the account with the stored keys, and notes how that went.',
    path: brokerPath,
    answers: { 200: answerOf('The broker answers', 'a connection that works') },
    errors: ['BROKER_NOT_FOUND', 'BROKER_CREDENTIALS_INVALID', 'BROKER_ERROR', 'BROKER_SHARE_SPENT'],
  },
})
