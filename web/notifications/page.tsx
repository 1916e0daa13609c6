import { PageHead, BackLink } from '../parts/page-head.tsx'
import { ChoicesPanel } from './choices-panel.tsx'
import { DevicePanel } from './device-panel.tsx'
import { DevicesPanel } from './devices-panel.tsx'
import { SoundsPanel } from './sounds-panel.tsx'

export function NotificationsPage() {
  return (
    <>
      <BackLink to="/settings" name="Settings" />
      <PageHead name="Notifications" />
      <div className="grid items-start gap-4 wide:grid-cols-2">
        <div className="grid min-w-0 gap-4 max-wide:contents">
          <DevicePanel />
          <div className="min-w-0 max-wide:order-1">
            <SoundsPanel />
          </div>
        </div>
        {/* A list is last in its column, so that its rows move nothing. */}
        <div className="grid min-w-0 gap-4 max-wide:contents">
          <ChoicesPanel />
          <div className="min-w-0 max-wide:order-2">
            <DevicesPanel />
          </div>
        </div>
      </div>
    </>
  )
}
