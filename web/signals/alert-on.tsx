import { Segmented } from '../parts/segmented.tsx'
import type { AlertOn } from './templates.ts'

const NAMES: Record<AlertOn, string> = {
  alert: 'Indicator',
  orders: 'One side',
  turns: 'Both sides',
}

/** What each message asks for, and what it needs of the script. */
export const ALERT_NOTES: Record<AlertOn, string> = {
  alert: 'The message of an alert on an indicator or a price: each alert asks for this signal.',
  orders:
    'The message of an alert on a strategy that is only ever long, or only ever short. In its script each order carries its ' +
    'action: alert_message = "openLong", "closeLong", "openShort" or "closeShort".',
  turns:
    'The message of an alert on a strategy that turns from long to short: the account is brought to the position of the ' +
    'strategy. Its script needs nothing.',
}

/** On what the alert is created. */
export const AlertOnChoice = (props: { value: AlertOn; choose: (value: AlertOn) => void }) => (
  <Segmented legend="The alert is on" options={NAMES} {...props} />
)
