// SPDX-License-Identifier: Apache-2.0
// Floating-point code that the disassembly test must find.
float float_control(float a, float b);
float float_control(float a, float b) { return a * b + a / b - (a < b ? 1.0F : 2.0F); }
