import { PageHead, BackLink } from '../parts/page-head.tsx'
import { ChannelsPanel } from './channels-panel.tsx'
import { ChoicesPanel } from './choices-panel.tsx'
import { DevicePanel } from './device-panel.tsx'
import { SentPanel } from './sent-panel.tsx'
import { SoundsPanel } from './sounds-panel.tsx'

export function NotificationsPage() {
  return (
    <>
      <BackLink to="/settings" name="Settings" />
      <PageHead name="Notifications" />
      <div className="grid items-start gap-4 wide:grid-cols-2">
        {/* A list is last in its column, so that its rows move nothing in sight. */}
        <div className="grid min-w-0 gap-4">
          <DevicePanel />
          <ChannelsPanel />
        </div>
        <div className="grid min-w-0 gap-4">
          <ChoicesPanel />
          <SoundsPanel />
        </div>
        <div className="min-w-0 wide:col-span-2">
          <SentPanel />
        </div>
      </div>
    </>
  )
}
