import type { ReactNode } from 'react'
import { useIsLive } from '../connection/live.ts'
import { Field } from '../parts/field.tsx'
import { Form, textOf, useSend } from '../parts/form.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Notice } from '../parts/notice.tsx'
import { Panel } from '../parts/panel.tsx'
import { useAppInfo } from '../records/person.ts'
import { deviceName } from '../security/words.ts'
import { readChannelsAgain, useChannels, useThisDevice } from './data.ts'
import { removeChannel, turnOn } from './device.ts'
import { deviceStateOf, type Obstacle } from './state.ts'

export function DevicePanel() {
  const here = useThisDevice()
  const app = useAppInfo()
  const channels = useChannels()
  // The first failed query is read again.
  const { isError, error, refetch } = [app, channels].find((each) => each.isError) ?? here
  const isRead = here.data && app.data && channels.data
  const state =
    isRead &&
    deviceStateOf(
      here.data,
      app.data.pushKey,
      channels.data.map(({ id }) => id),
    )
  return (
    <Panel title="This device">
      {/* As high as the form, so that nothing moves below. */}
      <div className="min-h-76 desk:min-h-58">
        <Loaded query={{ data: state, isError, error, refetch }} name="The state of this device" rows={2}>
          {(known) => (
            <div className="grid gap-4 p-4">
              {known.is === 'off' ? (
                <TurnOn pushKey={known.pushKey} />
              ) : known.is === 'on' ? (
                <TurnOff id={known.id} />
              ) : (
                OBSTACLES[known.is]
              )}
            </div>
          )}
        </Loaded>
      </div>
    </Panel>
  )
}

const Why = ({ title, children }: { title: string; children: ReactNode }) => (
  <Notice kind="warn" title={title}>
    <div className="grid gap-1 text-sm">{children}</div>
  </Notice>
)

const OBSTACLES: Record<Obstacle, ReactNode> = {
  'off-at-service': (
    <Why title="This service sends no notifications">
      <p>Its operator has turned them off.</p>
    </Why>
  ),
  insecure: (
    <Why title="Notifications need an address with https">
      <p>
        This page was opened by http, for which browsers allow no notifications. Open the app at the https
        address of the service; its operator knows it.
      </p>
    </Why>
  ),
  'not-installed': (
    <Why title="First add the app to the home screen">
      <p>On an iPhone or iPad only apps of the home screen get notifications:</p>
      <ol className="grid list-decimal gap-1 pl-5">
        <li>Open this page in Safari, and press Share.</li>
        <li>Press “Add to Home Screen”.</li>
        <li>Open the app from there, sign in, and come back to this page.</li>
      </ol>
    </Why>
  ),
  unsupported: (
    <Why title="This browser cannot receive notifications">
      <p>
        Use a current Chrome, Edge, Firefox or Safari, not a private window. While the app is open, everything
        still appears in it.
      </p>
    </Why>
  ),
  blocked: (
    <Why title="The browser blocks notifications of this app">
      <p>Only you can allow them again:</p>
      <ul className="grid list-disc gap-1 pl-5">
        <li>In a browser: press the icon next to the address, and allow notifications.</li>
        <li>As an app: open its notifications in the settings of the device, and allow them.</li>
      </ul>
      <p>Then come back to this page.</p>
    </Why>
  ),
}

function TurnOn({ pushKey }: { pushKey: string }) {
  const form = useChange((data) => turnOn(textOf(data, 'name').trim(), pushKey))
  return (
    <Form {...form} action="Turn on notifications">
      <p>
        <b className="font-bold">Off.</b> This device then notifies you while the app is closed. The browser
        asks for permission first.
      </p>
      <Field
        label="Name of this device"
        name="name"
        defaultValue={deviceName(navigator.userAgent)}
        maxLength={100}
        hint="Its name in the list of channels"
      />
    </Form>
  )
}

function TurnOff({ id }: { id: string }) {
  const form = useChange(() => removeChannel(id))
  return (
    <Form {...form} action="Turn off on this device" kind="plain">
      <p>
        <b className="font-bold">On.</b> Tap a notification to open its page; nothing is approved from the
        notification itself. Signing out turns them off on this device.
      </p>
    </Form>
  )
}

function useChange(change: (data: FormData) => Promise<void>) {
  const isBlocked = !useIsLive()
  const form = useSend(async (data) => {
    try {
      await change(data)
    } finally {
      await readChannelsAgain()
    }
  })
  return { ...form, isBlocked }
}
