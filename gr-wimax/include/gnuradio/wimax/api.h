// SPDX-License-Identifier: GPL-3.0-or-later
// Symbol visibility. Own macro instead of GNU Radio's attributes.h, because the PHY core builds without GNU Radio.
#pragma once

#define WIMAX_API __attribute__((visibility("default")))
