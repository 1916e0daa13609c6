import { MonitorSmartphone } from 'lucide-react'
import { ask } from '../connection/ask.ts'
import { useIsLive } from '../connection/live.ts'
import { useAction } from '../parts/action.ts'
import { Button } from '../parts/button.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { ProblemNotice } from '../parts/notice.tsx'
import { Chip, Count, Item, Panel } from '../parts/panel.tsx'
import { useNow } from '../parts/time.ts'
import { age, bothTimes } from '../words/times.ts'
import { readDevicesAgain, useDevices, useThisDevice, type PushDevice } from './data.ts'
import { turnOff } from './device.ts'
import { testWords } from './state.ts'

export function DevicesPanel() {
  const devices = useDevices()
  const here = useThisDevice()
  const isLive = useIsLive()
  const test = useAction<string>()
  const removal = useAction<string>()
  const now = useNow()
  const count = devices.data?.length ?? 0
  const sendTest = () =>
    void test.run(async () => {
      const { body } = await ask('POST /api/v1/push/test')
      await readDevicesAgain()
      return testWords(body.data)
    })
  const remove = ({ id, device }: PushDevice) =>
    void removal.run(async () => {
      try {
        await turnOff(id)
        return `${device} removed`
      } finally {
        await readDevicesAgain()
      }
    })
  return (
    <Panel
      title={
        <>
          Devices
          {count > 0 && <Count of={count} />}
        </>
      }
      aside={
        count > 0 && (
          <Button disabled={!isLive || test.state.is === 'busy'} onClick={sendTest}>
            Send a test
          </Button>
        )
      }
    >
      <div role="status" className="not-empty:border-b not-empty:border-line not-empty:p-4">
        {test.state.is === 'done' && test.state.result}
        {removal.state.is === 'done' && <span className="sr-only">{removal.state.result}</span>}
      </div>
      {[test.state, removal.state].map(
        (state, at) =>
          state.is === 'failed' && (
            <div key={at} className="p-4">
              <ProblemNotice problem={state.problem} />
            </div>
          ),
      )}
      <Loaded query={devices} name="The devices" rows={2}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No device yet">
              Turn notifications on in each phone or browser that should receive them.
            </Empty>
          ) : (
            <ul aria-label="Devices">
              {all.map((each) => (
                <Item
                  key={each.id}
                  icon={<MonitorSmartphone />}
                  title={
                    <>
                      {each.device} {each.id === here.data?.id && <Chip kind="good">this device</Chip>}
                    </>
                  }
                  note={`${delivered(each, now)} · by ${each.service} · since ${bothTimes(each.createdAt, now)}`}
                  end={
                    <Button
                      disabled={!isLive || removal.state.is === 'busy'}
                      onClick={() => remove(each)}
                      aria-label={`Remove ${each.device}`}
                    >
                      Remove
                    </Button>
                  }
                />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  )
}

const delivered = ({ lastDeliveredAt, refusedSince, refusal }: PushDevice, now: number): string =>
  refusedSince !== null
    ? `Its push service refuses messages since ${bothTimes(refusedSince, now)} (${refusal}): turn notifications off and on again there`
    : lastDeliveredAt === null
      ? 'Nothing sent yet'
      : `Last sent ${age(now - Date.parse(lastDeliveredAt))}`
