import type { AlertNotice } from './alert.ts'

export const noticeUnreached = (devices: number): AlertNotice => ({
  kind: 'notice_unreached',
  message: `A signal waits for your approval, and ${devices === 1 ? 'your device was not reached' : `none of your ${devices} devices was reached`} by the notification of it. Look at your devices under Notifications: turn them on again there, and send a test`,
  data: { devices },
})
