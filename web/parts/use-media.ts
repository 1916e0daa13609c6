/** Whether the window is wide enough for the desk's layout, as the styles' breakpoint has it. */
export const isDesk = (): boolean => matchMedia('(min-width: 800px)').matches
