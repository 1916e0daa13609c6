/** The code of the advisory of a close that leaves shares to orders which were not placed here. */
export const POSITION_HELD = 'position_held'
