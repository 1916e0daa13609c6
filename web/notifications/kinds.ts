import { BellRing, Hash, Mail, MessagesSquare, MonitorSmartphone, Send, Webhook } from 'lucide-react'
import type { ComponentProps } from 'react'
import type { Field } from '../parts/field.tsx'
import type { Channel } from './words.ts'

interface Kind {
  name: string
  icon: typeof Send
  /** How a person gets what the fields ask for. */
  steps: readonly string[]
  /** Its settings. */
  fields: readonly (ComponentProps<typeof Field> & { name: string })[]
}

const url = (beginning: string) => ({ name: 'settings.url', label: 'Address', placeholder: `${beginning}…` })

export const KINDS: Readonly<Record<Channel['kind'], Kind>> = {
  push: { name: 'Browser', icon: MonitorSmartphone, steps: [], fields: [] },
  telegram: {
    name: 'Telegram',
    icon: Send,
    steps: [
      'Send /newbot to @BotFather: it answers with the token of your bot.',
      'Open your bot and send it a message: before that it cannot write to you.',
      'Send a message to @userinfobot: it answers with your number.',
    ],
    fields: [
      { name: 'settings.botToken', label: 'Token of the bot', placeholder: '123456789:AAF…' },
      { name: 'settings.chatId', label: 'Number of the chat', hint: 'Yours, that of a group, or @channel' },
    ],
  },
  ntfy: {
    name: 'ntfy',
    icon: BellRing,
    steps: ['In the ntfy app, subscribe to this topic, at the same server.'],
    fields: [
      {
        name: 'settings.topic',
        label: 'Topic',
        hint: 'It is a password: anyone who knows it can read along',
      },
      { name: 'settings.server', label: 'Server', defaultValue: 'https://ntfy.sh' },
      { name: 'settings.token', label: 'Access token (optional)', hint: 'For a protected topic' },
    ],
  },
  email: {
    name: 'E-mail',
    icon: Mail,
    steps: ['Messages go to the address with which you sign in.'],
    fields: [],
  },
  discord: {
    name: 'Discord',
    icon: MessagesSquare,
    steps: [
      'In the settings of a channel, open Integrations, Webhooks.',
      'Create a webhook and copy its URL.',
    ],
    fields: [url('https://discord.com/api/webhooks/')],
  },
  slack: {
    name: 'Slack',
    icon: Hash,
    steps: [
      'At api.slack.com/apps, create an app and turn on Incoming Webhooks.',
      'Add a webhook to a channel and copy its URL.',
    ],
    fields: [url('https://hooks.slack.com/services/')],
  },
  webhook: {
    name: 'Webhook',
    icon: Webhook,
    steps: ['A program of yours receives each event, signed with a secret that is shown once, after this.'],
    fields: [url('https://example.com/')],
  },
}
